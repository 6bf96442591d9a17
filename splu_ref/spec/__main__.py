"""Answer the conformance protocol on standard input and output: ``python -m splu_ref.spec``."""

from splu_ref.spec.protocol import answer, serve

if __name__ == "__main__":
    serve(answer)
