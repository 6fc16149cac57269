import type { FromEngine, ToEngine } from './engine-messages.ts'

/** An engine's end of the channel to the service; messages of one turn of the event loop travel together. */
export class EngineChannel {
  #outgoing: FromEngine[] = []

  send(message: FromEngine): void {
    if (this.#outgoing.push(message) === 1) setImmediate(() => this.#flush())
  }

  /** Hears what the service says; without a service there is nothing to live for, so its end ends this process. */
  listen(onMessage: (message: ToEngine) => void): void {
    process.on('message', (message) => onMessage(message as ToEngine))
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
    // A terminal's Ctrl-C and a service manager's stop reach every process; the service decides when its engines go.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  }

  #flush(): void {
    const messages = this.#outgoing
    this.#outgoing = []
    process.send?.(messages, undefined, undefined, () => {})
  }
}
