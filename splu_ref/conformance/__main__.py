"""The library as a program of the conformance protocol: ``python -m splu_ref.conformance``."""

from splu_ref.conformance.library import answer
from splu_ref.spec.protocol import serve

if __name__ == "__main__":
    serve(answer)
