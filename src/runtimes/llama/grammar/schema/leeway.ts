import { ServiceError } from '../../../../core/error.ts'

/**
 * What happens where a schema cannot be followed. `strict`: the request is refused. `loose`: that place is loosened and reported, and only
 * a mistake in the schema is refused. `tool`: mistakes are loosened too, since a call that is not quite valid is better than none.
 */
export type Following = 'strict' | 'loose' | 'tool'

/** Places that are reported; a schema may have thousands. */
const mostPlaces = 20

/** Decides for each place that cannot be followed whether to refuse the schema, and remembers what was loosened. */
export class Leeway {
  readonly #following: Following
  readonly #owner: string
  readonly #places = new Set<string>()

  /** @param owner Whose schema it is, such as `response_format`. */
  constructor(following: Following, owner: string) {
    this.#following = following
    this.#owner = owner
  }

  /** What was loosened and where, as sentences; the first 20 and how many more. */
  get loosened(): readonly string[] {
    const sentences = [...this.#places].map((message) => `The JSON schema of ${this.#owner} is followed but for one place: ${message}.`)
    const more = sentences.length - mostPlaces
    return more <= 0 ? sentences : [...sentences.slice(0, mostPlaces), `It is not followed in ${more} more places.`]
  }

  /**
   * Notes a place that no grammar is made for. When this returns, the caller goes on without it.
   *
   * @param message What of the schema, where, and why.
   * @throws {ServiceError} `unsupported_parameter` when the schema is strict.
   */
  loosen(message: string, cause?: unknown): void {
    if (this.#following === 'strict') throw refuseSchema(message, cause)
    this.#places.add(message)
  }

  /**
   * Notes a mistake: something that is no JSON Schema, or that no value can meet.
   *
   * @throws {ServiceError} `unsupported_parameter` unless the schema is a tool's.
   */
  mistake(message: string, cause?: unknown): void {
    if (this.#following !== 'tool') throw refuseSchema(message, cause)
    this.#places.add(message)
  }
}

function refuseSchema(message: string, cause?: unknown): ServiceError {
  return new ServiceError('unsupported_parameter', `The JSON schema cannot be followed: ${message}.`, { param: 'response_format', cause })
}
