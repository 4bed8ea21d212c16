(public_field_definition
  name: (_) @name
  value: [
    (function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)
  ] @lambda) @span

(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @function
(abstract_method_signature name: (_) @name) @function

(abstract_class_declaration name: (_) @name) @container
(interface_declaration name: (_) @name) @container
(internal_module name: (_) @name) @container
(module name: (_) @name) @container
