/** Encryption key for logged bodies. */
export interface BodyKey {
  readonly id: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

/** Keys of the request log: the newest encrypts, the others only decrypt. */
export interface BodyKeys {
  /** The newest key; null = none, so that nothing can be logged. */
  current(): BodyKey | null
  /** Finds a key by id; null = gone. */
  find(id: string): BodyKey | null
  /** Creates the first key if there is none and this service may create one. */
  begin(): Promise<void>
  /** Reloads the keys, since another process may have created one. */
  refresh(): Promise<void>
}
