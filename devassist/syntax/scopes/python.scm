(function_definition name: (identifier) @name body: (_) @body) @function
(decorated_definition definition: (function_definition name: (identifier) @name body: (_) @body) @function) @span

(lambda body: (_) @body) @lambda
(assignment left: (identifier) @name right: (lambda body: (_) @body) @lambda) @span
(call function: (_) @passed_to arguments: (argument_list (lambda body: (_) @body) @lambda))
(keyword_argument name: (identifier) @passed_to value: (lambda body: (_) @body) @lambda)

(class_definition name: (identifier) @name) @container
