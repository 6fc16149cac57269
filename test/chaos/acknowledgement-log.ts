import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/** One acknowledged submission: what the service promised. */
export interface Acknowledgement {
  readonly key: string
  readonly responseId: string
}

/** Every 2xx the client has seen, on stable storage before it counts as a success. */
export class AcknowledgementLog implements Disposable {
  readonly #path: string
  readonly #file: number

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'a')
  }

  append(acknowledgement: Acknowledgement): void {
    writeSync(this.#file, `${JSON.stringify(acknowledgement)}\n`)
    fdatasyncSync(this.#file)
  }

  read(): readonly Acknowledgement[] {
    return readFileSync(this.#path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Acknowledgement)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
