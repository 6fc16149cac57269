import Type, { type TOptional, type TUnknown } from 'typebox'

/** Fields that clients send back or send along and that change nothing here, whatever they hold. */
export function idleFields<const Name extends string>(...names: readonly Name[]): Record<Name, TOptional<TUnknown>> {
  return Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])) as Record<Name, TOptional<TUnknown>>
}

/** What clients note beside messages, calls and tools: marks of caches, of other services and of their own. */
export const idleMarks = idleFields('cache_control', 'extra_content', 'provider_specific_fields')
