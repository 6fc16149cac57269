import { ServiceError } from '../../../../core/error.ts'

/**
 * How unsupported parts of a schema are handled. `strict`: the request is refused. `loose`: the part is loosened and reported, and only
 * invalid schemas are refused. `tool`: invalid parts are loosened too, since an imperfect call is better than none.
 */
export type Following = 'strict' | 'loose' | 'tool'

/** Places that are reported; a schema may have thousands. */
const maxPlaces = 20

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

  /** Loosened parts, as sentences: the first 20 and the number of further ones. */
  get loosened(): readonly string[] {
    const sentences = [...this.#places].map((message) => `The JSON schema of ${this.#owner} is not followed in one place: ${message}.`)
    const more = sentences.length - maxPlaces
    return more <= 0 ? sentences : [...sentences.slice(0, maxPlaces), `It is not followed in ${more} more places.`]
  }

  /**
   * Records an unsupported part; if this returns, the caller continues without it.
   *
   * @param message The part, its place and the reason.
   * @throws {ServiceError} `unsupported_parameter` if the schema is strict.
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
