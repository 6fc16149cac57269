/** Confines an engine process to the resources it needs. */
export interface Confinement {
  /** The only environment variables of an engine. */
  readonly environment: Readonly<Record<string, string>>
  /** Command that takes the network away from the command behind it; null where the platform offers none. */
  readonly closeNetwork: readonly string[] | null
  /**
   * Command that hides every file but the system's libraries from the command behind it, and takes the network away; `--ro-bind-try` and a
   * path, twice, shows more. null where the platform offers none.
   */
  readonly closeFiles: readonly string[] | null
  /** Command that limits the memory of the command behind it, without the number of bytes; null where the platform offers none. */
  readonly limitMemory: readonly string[] | null
  /** Folders of the service's own code and of compiled code, which every engine reads; null = JavaScript may open any file. */
  readonly codeFolders: readonly string[] | null
}

/** Resources an engine may use. */
export interface EngineNeeds {
  /** Files and folders it reads, absolute; null = any, for drivers that look for their parts themselves. */
  readonly readable: readonly string[] | null
  /** Bytes of memory that it may take; null = no limit, for drivers that reserve addresses without end. */
  readonly memoryBytes: number | null
  /** Whether it opens a thread of JavaScript when it starts. */
  readonly opensThread?: boolean
  /** Variables that its libraries read when they start, beside those that every engine has. */
  readonly environment: Readonly<Record<string, string>>
}
