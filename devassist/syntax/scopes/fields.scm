(field_definition
  property: (_) @name
  value: [
    (function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)
  ] @lambda) @span
