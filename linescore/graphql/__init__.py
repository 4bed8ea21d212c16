"""The season as a GraphQL API, in the words of a public hockey API: what graphql_proxy asks unless told otherwise."""
