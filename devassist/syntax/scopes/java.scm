(method_declaration name: (identifier) @name) @function
(method_declaration name: (identifier) @name body: (block) @body) @function
(constructor_declaration name: (identifier) @name body: (_) @body) @function
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @function
(static_initializer (block) @body) @initializer

(lambda_expression body: (_) @body) @lambda
(variable_declarator name: (identifier) @name value: (lambda_expression body: (_) @body) @lambda) @span
(method_invocation name: (identifier) @passed_to arguments: (argument_list (lambda_expression body: (_) @body) @lambda))
(object_creation_expression
  type: (_) @passed_to arguments: (argument_list (lambda_expression body: (_) @body) @lambda))

(class_declaration name: (identifier) @name) @container
(interface_declaration name: (identifier) @name) @container
(enum_declaration name: (identifier) @name) @container
(enum_constant name: (identifier) @name) @container
(record_declaration name: (identifier) @name) @container
(annotation_type_declaration name: (identifier) @name) @container
