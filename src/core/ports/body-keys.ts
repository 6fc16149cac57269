/** What bodies of requests are encrypted with. */
export interface BodyKey {
  readonly id: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

/** The keys of the request log: the newest encrypts, the others are kept to read with. */
export interface BodyKeys {
  /** The newest; null = there is none, so that nothing can be logged. */
  current(): BodyKey | null
  /** The key of this id, the newest or an earlier one; null when it is gone. */
  find(id: string): BodyKey | null
  /** Makes a first key where there is none and this service may; nothing happens otherwise. */
  begin(): Promise<void>
  /** Reads them again; another process may have made one. */
  refresh(): Promise<void>
}
