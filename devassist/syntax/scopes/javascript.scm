(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(export_statement value: (function_expression body: (_) @body) @function) @span
(method_definition name: (_) @name body: (_) @body) @function

([(function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)]) @lambda
(function_expression name: (_) @name body: (_) @body) @lambda
(variable_declarator
  name: (identifier) @name
  value: [
    (function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)
  ] @lambda) @span
(variable_declarator
  name: (identifier) @name
  value: (call_expression function: (_) @wrapper arguments: (arguments . [
    (function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)
  ] @lambda))) @span
(pair
  key: (_) @name
  value: [
    (function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)
  ] @lambda) @span
(assignment_expression
  left: (identifier) @name
  right: [
    (function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)
  ] @lambda) @span
(assignment_expression
  left: (member_expression object: (_) @receiver property: (_) @name)
  right: [
    (function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)
  ] @lambda) @span
(call_expression
  function: (_) @passed_to
  arguments: (arguments [
    (function_expression body: (_) @body) (generator_function body: (_) @body) (arrow_function body: (_) @body)
  ] @lambda))

(class_declaration name: (_) @name) @container
(class name: (_) @name) @container
(variable_declarator name: (identifier) @name value: [(class) (object)]) @container
(assignment_expression left: (identifier) @name right: [(class) (object)]) @container
(pair key: (property_identifier) @name value: (object)) @container
