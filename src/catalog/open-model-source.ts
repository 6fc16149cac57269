import type { FetchRules } from './fetch-public.ts'
import { createFolderSource } from './folder-source.ts'
import type { ModelSource } from './model-source.ts'
import { createWebSource } from './web-source.ts'

/** The model at an http(s) address or in a folder; either may name the folder or the `model.json` in it. */
export function openModelSource(source: string, rules: FetchRules): ModelSource {
  const place = source.replace(/\/?model\.json$/, '')
  return /^https?:\/\//.test(source) ? createWebSource(place, rules) : createFolderSource(place === '' ? '.' : place)
}
