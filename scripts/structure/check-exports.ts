import { findExports } from './find-exports.ts'
import type { SourceFile } from './source-file.ts'

/**
 * What a file offers without a word on what it does, or on what it returns. Types, and constants whose type is written
 * down, may say it all by themselves.
 */
export function checkExports({ path, text }: SourceFile): readonly string[] {
  return findExports(text).flatMap(({ name, documented, annotated, typed, line }) => [
    ...(documented || annotated ? [] : [`${path}:${line}: ${name} needs a doc comment: one sentence of behaviour.`]),
    ...(typed ? [] : [`${path}:${line}: ${name} does not state what it returns.`]),
  ])
}
