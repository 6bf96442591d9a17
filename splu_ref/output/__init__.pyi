from .formulas import plain_formula as plain_formula
from .junit_xml import Case as Case
from .junit_xml import junit as junit
from .pictures import can_draw as can_draw
from .pictures import canvas as canvas
from .pictures import figure_bytes as figure_bytes
from .terminal import at_most_lines as at_most_lines
from .terminal import console as console
from .terminal import draw as draw
from .terminal import fit_table as fit_table
from .terminal import json_text as json_text
from .terminal import replace_invisible as replace_invisible
from .terminal import say as say
from .terminal import say_json as say_json
from .terminal import settle_streams as settle_streams
from .terminal import visible as visible
from .terminal import visible_json as visible_json
from .terminal import whole_or as whole_or

__all__: list[str]
