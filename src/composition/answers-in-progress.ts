import type { Server } from 'node:http'

/** Counts the requests that a server has not finished answering. */
export class AnswersInProgress {
  #count = 0
  #finished = Promise.withResolvers<void>()

  constructor(server: Server) {
    server.on('request', (_request, response) => {
      this.#count += 1
      response.on('close', () => {
        this.#count -= 1
        if (this.#count === 0) this.#finished.resolve()
      })
    })
  }

  /** Resolves as soon as there are none. */
  async finished(): Promise<void> {
    if (this.#count === 0) return
    this.#finished = Promise.withResolvers()
    await this.#finished.promise
  }
}
