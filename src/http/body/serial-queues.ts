/** Queues in which one piece of work runs at a time, each with a name of its own; different queues do not wait for each other. */
export class SerialQueues {
  readonly #last = new Map<string, Promise<void>>()

  /** @param rest Runs after the work, and before the next in the queue; nobody but that waits for it. */
  run<Result>(name: string, work: () => Promise<Result>, rest: () => Promise<void> = async () => {}): Promise<Result> {
    const result = (this.#last.get(name) ?? Promise.resolve()).then(work)
    const over = result.then(rest, rest).then(() => {
      if (this.#last.get(name) === over) this.#last.delete(name)
    })
    this.#last.set(name, over)
    return result
  }
}
