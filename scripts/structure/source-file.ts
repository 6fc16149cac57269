/** A source file: its path from the root of the project, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Whether a file holds tests. */
export function isTest({ path }: Pick<SourceFile, 'path'>): boolean {
  return /\.test\.tsx?$/.test(path)
}
