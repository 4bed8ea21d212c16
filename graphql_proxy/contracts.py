"""What may be asked of an upstream, and what is answered: contract `execute_graphql`."""
