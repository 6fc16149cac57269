/** Cookies as a browser keeps them for one site. */
export class CookieJar {
  readonly #cookies = new Map<string, string>()

  /** The `Cookie` header. */
  header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get(name: string): string | undefined {
    return this.#cookies.get(name)
  }

  /** Takes the `Set-Cookie` headers of an answer. */
  take(written: string | readonly string[] | undefined): void {
    for (const cookie of [written ?? []].flat()) {
      const [pair = '', ...attributes] = cookie.split('; ')
      const name = pair.slice(0, pair.indexOf('='))
      const gone = attributes.some((attribute) => /^max-age=0$/i.test(attribute) || /^expires=Thu, 01 Jan 1970/i.test(attribute))
      if (gone) this.#cookies.delete(name)
      else this.#cookies.set(name, pair.slice(pair.indexOf('=') + 1))
    }
  }
}
