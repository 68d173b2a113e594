"""Reports: data that renders as text, on a terminal, as JSON and as HTML."""
