"""The library that draws charts, imported when a chart is drawn: nothing else needs it."""

from types import ModuleType


class NoCharts(Exception):
    """The library that draws is not installed. The text says how to install it."""


def renderer() -> ModuleType:
    """vl-convert. Raises NoCharts."""
    try:
        import vl_convert
    except ImportError:
        raise NoCharts("Charts need vl-convert. Install it with: pip install 'stoa-platform[charts]'") from None
    module: ModuleType = vl_convert
    return module
