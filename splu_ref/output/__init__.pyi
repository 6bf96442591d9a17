from .junit_xml import Case as Case
from .junit_xml import junit as junit
from .pictures import can_draw as can_draw
from .pictures import canvas as canvas
from .pictures import written as written
from .terminal import console as console
from .terminal import draw as draw
from .terminal import fitted as fitted
from .terminal import json_text as json_text
from .terminal import replaced as replaced
from .terminal import say as say
from .terminal import say_json as say_json
from .terminal import settle_streams as settle_streams
from .terminal import visible as visible

__all__: list[str]
