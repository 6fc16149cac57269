import type { FromEngine, ToEngine } from './engine-messages.ts'
import { MessageGatherer } from './message-gatherer.ts'
import { pack } from './parcels.ts'

/** An engine's end of the channel to the service. */
export class EngineChannel {
  readonly #outgoing = new MessageGatherer({
    now: () => performance.now(),
    soon: setImmediate,
    later: setTimeout,
    send: (messages) => process.send?.(pack(messages), undefined, undefined, () => {}),
  })

  send(message: FromEngine): void {
    this.#outgoing.add(message)
  }

  /** Hears what the service says; without a service there is nothing to live for, so its end ends this process. */
  listen(onMessage: (message: ToEngine) => void): void {
    process.on('message', (message) => onMessage(message as ToEngine))
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
    // A terminal's Ctrl-C and a service manager's stop reach every process; the service decides when its engines go.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  }
}
