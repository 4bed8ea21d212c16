"""The semantic layer: measures, dimensions and filters; queries in these terms, compiled to SQL."""
