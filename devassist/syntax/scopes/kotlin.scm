(function_declaration name: (identifier) @name) @function
(function_declaration name: (identifier) @name (function_body) @body) @function
(function_declaration [(user_type) (nullable_type)] @receiver name: (identifier) @name) @function
(function_declaration [(user_type) (nullable_type)] @receiver name: (identifier) @name (function_body) @body) @function

(property_declaration (variable_declaration (identifier) @name) (getter) @accessor)
(property_declaration (variable_declaration (identifier) @name) (getter (function_body) @body) @accessor)
(property_declaration (variable_declaration (identifier) @name) (setter) @accessor)
(property_declaration (variable_declaration (identifier) @name) (setter (function_body) @body) @accessor)

(secondary_constructor) @initializer
(secondary_constructor (block) @body) @initializer
(anonymous_initializer (block) @body) @initializer

(lambda_literal) @lambda
(anonymous_function) @lambda
(anonymous_function (function_body) @body) @lambda
(property_declaration (variable_declaration (identifier) @name) [(lambda_literal) (anonymous_function)] @lambda) @span
(call_expression . (_) @passed_to (annotated_lambda (lambda_literal) @lambda))
(call_expression . (_) @passed_to (value_arguments (value_argument [(lambda_literal) (anonymous_function)] @lambda)))

(class_declaration name: (identifier) @name) @container
(object_declaration name: (identifier) @name) @container
(companion_object) @container
(companion_object name: (identifier) @name) @container
