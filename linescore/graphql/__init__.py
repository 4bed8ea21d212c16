"""A read-only GraphQL API of games, with the names of a public hockey API; graphql_proxy queries it by default."""
