import { setTimeout as pause } from 'node:timers/promises'
import type { Credentials } from './known-state.ts'

/** The fields read from answers of any release; each has some of them. */
interface Answer {
  readonly id: string
  readonly response_id: string
  readonly status: string
  readonly outcome?: string
  readonly error?: unknown
  readonly output_file_id: string
  readonly code: string
  readonly text: string
  readonly account: { readonly role: string }
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
}

/** One person at a running service, with a token for the interface and a browser for the console; any release's answers will do. */
export class Visitor {
  readonly #url: string
  token: string | null
  #cookie: string

  constructor(url: string, { token, cookie = '' }: { readonly token: string | null; readonly cookie?: string }) {
    this.#url = url
    this.token = token
    this.#cookie = cookie
  }

  get credentials(): Credentials {
    return { token: this.token, cookie: this.#cookie }
  }

  /** Uses up the code of a link and stays signed in. */
  async joinConsole(signUp: {
    readonly code: string
    readonly name: string
    readonly email: string
    readonly password: string
  }): Promise<void> {
    const answer = await this.#call('POST', '/console/api/sign-up', signUp)
    this.#cookie = answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1)[0])
      .join('; ')
  }

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const text = await (await this.#call(method, path, body)).text()
    return JSON.parse(text === '' ? '{}' : text)
  }

  /** JSON, or the text where it is something else; with another name for the service, whose port is a new one each time. */
  async read(path: string): Promise<unknown> {
    const answer = await this.#call('GET', path)
    const text = (await answer.text()).replaceAll(this.#url, 'http://service')
    return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text
  }

  /** Sends a request whose answer is fetched later; returns its id. */
  async submit(path: string, body: object): Promise<string> {
    const answer = await this.#call('POST', path, body, { 'x-service-async': '1' })
    return JSON.parse(await answer.text()).response_id
  }

  /** Waits until a request has ended, and returns it. */
  async awaitEnd(id: string): Promise<Answer> {
    for (;;) {
      const request = await this.send('GET', `/v1/requests/${id}?wait=30`)
      if (request.status === 'completed') return request
    }
  }

  /** Asks until an answer's status is this one. */
  async awaitStatus(path: string, wanted: string): Promise<Answer> {
    for (;;) {
      const answer = await this.send('GET', path)
      if (answer.status === wanted) return answer
      await pause(100)
    }
  }

  async upload(path: string, { purpose, file }: { readonly purpose: string; readonly file: string }): Promise<Answer> {
    const form = new FormData()
    form.set('purpose', purpose)
    form.set('file', new Blob([file]), 'requests.jsonl')
    const answer = await fetch(this.#url + path, { method: 'POST', headers: this.#headers(path), body: form })
    return JSON.parse(await (await requireOk(answer, path)).text())
  }

  async #call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return requireOk(await fetch(this.#url + path, { method, headers: { ...this.#headers(path), ...type, ...headers }, ...json }), path)
  }

  #headers(path: string): Record<string, string> {
    if (path.startsWith('/console/')) return { origin: this.#url, cookie: this.#cookie }
    return this.token === null ? {} : { authorization: `Bearer ${this.token}` }
  }
}

async function requireOk(answer: Response, path: string): Promise<Response> {
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`)
  return answer
}
