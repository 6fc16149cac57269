/** Where settings are read from, first to last in rank. */
export interface SettingSources {
  /** Flags without their dashes. A bare flag is true; a flag given several times is a list. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The parsed configuration file with its absolute path; null when there is none. */
  readonly file: { readonly path: string; readonly content: unknown } | null
  /** What the service that runs on the data folder was started with, for commands beside it. */
  readonly service?: Readonly<Record<string, string>>
}

/** One thing that stops the start: where it stands, and what to change. */
export interface ConfigFault {
  /** `--port`, `SEPIA_PORT` or `"port" in /srv/sepia.config.json`. */
  readonly where: string
  readonly message: string
  /** The settings that cannot be read, or, of what settings lack together, those that would mend it; absent = `where` alone. */
  readonly settings?: readonly string[]
}

/** One line of `sepia config`. */
export interface SettingReport {
  readonly name: string
  /** Secrets are masked. */
  readonly value: string
  /** `default`, or where it was set. */
  readonly source: string
  /** The setting to use instead, if this one is of an older version. */
  readonly replacedBy?: string
}
