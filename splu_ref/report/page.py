"""What all reports in HTML share: one environment of templates, and a policy that lets nothing else in.

A page needs no network, no font and no other file. Its Content-Security-Policy names the SHA-256 of its
style sheet and of its script, so that a browser applies these two, and none that came in with the data.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

_POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; {more}img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def page(
    template: str,
    filters: Mapping[str, Callable[..., str]] | None = None,
    *,
    script_name: str = "filter.js",
    workers: bool = False,
    package: str | None = None,
    **values: object,
) -> bytes:
    """Return a self-contained HTML document in UTF-8; every text in it is escaped.

    Parameters
    ----------
    template
        The name of a template that extends ``page.html.j2``.
    filters
        Further filters of the template.
    script_name
        The template of the one script.
    workers
        Whether the script may start workers, from texts of its own.
    package
        A package outside of this one whose folder ``templates`` has the template.
    values
        What the template speaks of.
    """
    packages = ["splu_ref.report", *([package] if package else [])]
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters or {}
    style, script = (environment.get_template(name).render(values) for name in ("style.css", script_name))
    more = "worker-src blob:; " if workers else ""
    policy = _POLICY.format(style=_source(style), script=_source(script), more=more)
    text = environment.get_template(template).render(values, style=style, script=script, policy=policy)
    return text.encode()


def _source(content: str) -> str:
    """Return how a policy names an inline style sheet or script: by the hash of all between the tags."""
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
