"""Sphinx configuration. Neither the build nor its result needs the network: formulas are text."""

from __future__ import annotations

import sys
from pathlib import Path

from splu_ref import SPECIFICATION, __version__

sys.path[:0] = [str(Path(__file__).parent / "_extensions"), str(Path(__file__).parents[1])]

project = "splu-ref"
author = "The splu-ref authors"
project_copyright = "2026, The splu-ref authors"
version = release = __version__

extensions = [
    "myst_parser",
    "matplotlib.sphinxext.plot_directive",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "docstrings",
    "generated_pages",
    "specification",
    "study_tables",
]
exclude_patterns = ["_build"]
smartquotes = False  # f' and --option are to stay as they are

myst_enable_extensions = ["deflist", "substitution"]
myst_heading_anchors = 3
myst_substitutions = {"version": __version__, "specification": SPECIFICATION}

default_role = "code"  # a name in single backquotes in a docstring
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]

# Base classes and what aliases stand for: names of other projects, which have no page here.
nitpick_ignore_regex = [("py:class", r"(abc|collections|enum|numpy)\..*")]

plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = ["svg"]

html_theme = "furo"
html_title = f"splu-ref {version}"
html_static_path = ["_static"]
html_css_files = ["claims.css", "specification.css"]
