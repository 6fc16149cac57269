import type { Caller } from '../../core/access-token.ts'
import { ServiceError } from '../../core/error.ts'
import type { ImageProgress } from '../../core/image-generation.ts'

/** How long previews are made after a client last asked for them. */
const watchedMs = 10 * 60_000

type Holder = Pick<Caller, 'accountId' | 'tokenId'>

/** One running drawing and its progress. */
class DrawingUnderWay implements Disposable {
  readonly startedAt: number
  readonly images: number
  readonly #stop = new AbortController()
  readonly #onEnd: () => void
  #progress: ImageProgress = { step: 0, total: 0 }

  constructor({ startedAt, images, onEnd }: { readonly startedAt: number; readonly images: number; readonly onEnd: () => void }) {
    this.startedAt = startedAt
    this.images = images
    this.#onEnd = onEnd
  }

  /** Aborts when the drawing is interrupted. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Includes the latest preview. */
  get progress(): ImageProgress {
    return this.#progress
  }

  note(progress: ImageProgress): void {
    this.#progress = { ...this.#progress, ...progress }
  }

  interrupt(): void {
    this.#stop.abort(new ServiceError('request_cancelled', 'The drawing was interrupted.'))
  }

  [Symbol.dispose](): void {
    this.#onEnd()
  }
}

/** Running drawings, for clients that ask for "the" progress. Each token sees only its own. */
export class DrawingsUnderWay {
  readonly #drawings = new Map<string, Set<DrawingUnderWay>>()
  /** When previews were last looked for. */
  readonly #watched = new Map<string, number>()

  /** Registers a drawing until it is disposed of. */
  begin(holder: Holder, started: { readonly startedAt: number; readonly images: number }): DrawingUnderWay {
    const key = keyOf(holder)
    const all = this.#drawings.get(key) ?? new Set()
    this.#drawings.set(key, all)
    const drawing = new DrawingUnderWay({
      ...started,
      onEnd: () => {
        all.delete(drawing)
        if (all.size === 0) this.#drawings.delete(key)
      },
    })
    all.add(drawing)
    return drawing
  }

  /** Notes that someone looks for previews. */
  watch(holder: Holder, now: number): void {
    for (const [key, at] of this.#watched) if (now - at > watchedMs) this.#watched.delete(key)
    this.#watched.set(keyOf(holder), now)
  }

  /** Whether someone looked for previews a short time ago, and so will again. */
  isWatched(holder: Holder, now: number): boolean {
    return now - (this.#watched.get(keyOf(holder)) ?? Number.NEGATIVE_INFINITY) <= watchedMs
  }

  /** Oldest first. */
  of(holder: Holder): readonly DrawingUnderWay[] {
    return [...(this.#drawings.get(keyOf(holder)) ?? [])]
  }
}

function keyOf({ accountId, tokenId }: Holder): string {
  return `${accountId} ${tokenId ?? ''}`
}
