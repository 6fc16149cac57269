import type { FastifyInstance } from 'fastify'

/** The methods registered for each path, to distinguish a wrong method from a wrong path. */
export interface KnownMethods {
  /** The methods of a path; empty when no route has it. */
  of(path: string): readonly string[]
}

/** Records every route that is registered from now on. */
export function rememberMethods(server: FastifyInstance): KnownMethods {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  server.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() }
    for (const name of [method].flat()) route.methods.add(name.toUpperCase())
    routes.set(url, route)
  })
  return {
    of(path) {
      const methods = new Set<string>()
      for (const route of routes.values()) if (route.pattern.test(path)) for (const method of route.methods) methods.add(method)
      return [...methods].sort()
    },
  }
}

function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.split('*').map(escapePattern).join('.*[^/].*')))
    .join('/')
  return new RegExp(`^${source}$`)
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
