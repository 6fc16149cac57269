import { ServiceError } from '../../core/error.ts'

const nothing: ReadonlySet<string> = new Set()

type Body = Readonly<Record<string, unknown>>

/** Fields that we always send, since servers have defaults of their own, each with the value at which it changes nothing. */
const silent: Body = { temperature: 1, top_p: 1, frequency_penalty: 0, presence_penalty: 0, parallel_tool_calls: true, echo: false }
/** What newer models of OpenAI call the limit, and refuse under its old name. */
const [oldLimit, newLimit] = ['max_tokens', 'max_completion_tokens']

/**
 * Fields that servers refuse though they change nothing: TGI a `top_p` of 1, OpenAI's models that think a `temperature`. A request that is refused for such a field
 * goes out again without it; once it is answered so, all others to that server do from the start.
 */
export class RefusedFields {
  readonly #known = new WeakMap<object, ReadonlySet<string>>()

  /**
   * What begins to be answered, by the body as it is or without what it is refused for.
   *
   * @throws {ServiceError} what the refusal says that no such field is to blame for.
   */
  async *send<Part>(
    server: object,
    body: Body,
    answer: (body: Body) => AsyncGenerator<Part, void, undefined>,
  ): AsyncGenerator<Part, void, undefined> {
    let without = this.#known.get(server) ?? nothing
    for (;;) {
      const parts = answer(leaveOut(body, without))
      let first: IteratorResult<Part, void>
      try {
        first = await parts.next()
      } catch (error) {
        const blamed = findBlamed(error, body).filter((name) => !without.has(name))
        if (blamed.length === 0) throw error
        without = new Set([...without, ...blamed])
        continue
      }
      // Only now: what a refusal says may repeat a request that is refused for something else.
      if (without !== nothing) this.#known.set(server, without)
      try {
        if (first.done) return
        yield first.value
        yield* parts
      } finally {
        await parts.return()
      }
      return
    }
  }
}

function findBlamed(error: unknown, body: Body): readonly string[] {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_request_error') return []
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(error.message)
  const blamed = Object.keys(silent).filter((name) => name in body && body[name] === silent[name] && isNamed(name))
  return isNamed(oldLimit) && isNamed(newLimit) ? [...blamed, oldLimit] : blamed
}

function leaveOut(body: Body, names: ReadonlySet<string>): Body {
  if (names.size === 0) return body
  const isLeftOut = (name: string, value: unknown) => names.has(name) && (name === oldLimit || value === silent[name])
  const kept = Object.entries(body).filter(([name, value]) => !isLeftOut(name, value))
  return { ...Object.fromEntries(kept), ...(names.has(oldLimit) && { [newLimit]: body[oldLimit] }) }
}
