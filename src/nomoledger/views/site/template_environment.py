"""The templates of a package: the published site and the served one escape and write alike."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from nomoledger.views.site.text import finalize, prose


def template_environment(package: str) -> Environment:
    """Return the templates of *package*. Everything that is not markup of ours is escaped."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    environment.filters["words"] = lambda name: str(name).replace("_", " ")
    return environment
