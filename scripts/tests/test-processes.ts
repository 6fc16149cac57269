import { dirname } from 'node:path'

/** A test file by its path from the root, with its text. */
export interface TestFile {
  readonly path: string
  readonly text: string
}

/** Begins a line about a failing test that a process prints between its other lines. */
export const failureMark = '✖ failing now: '

/** Most files of one process: few enough for the processes of a run to end at about the same time, and to find what leaks between two. */
const maxFiles = 16

/** Tests of one process share what they import, which is most of what a small file costs. */
const sharing = /^(?:src|scripts|test\/(?:conformance|end-to-end|support))\//

/** What a process has only once: a file that replaces it runs alone. */
const replacesGlobals = /browser-page\.ts'/

/** How many processes of such files a processor runs at once: with browsers, databases and clusters they wait for half of their time. */
export function processesPerProcessor(paths: readonly string[]): number {
  return paths.some((path) => sharing.test(path)) ? 1 : 2
}

/** Cuts test files into processes: neighbours together, those of folders that need other programs alone; long ones first. */
export function cutIntoProcesses(files: readonly TestFile[]): readonly (readonly string[])[] {
  const processes: string[][] = []
  let open: { readonly area: string; readonly paths: string[] } | undefined
  for (const { path, text } of files.toSorted((one, other) => rank(one.path) - rank(other.path) || (one.path < other.path ? -1 : 1))) {
    if (!sharing.test(path) || replacesGlobals.test(text)) {
      processes.push([path])
      continue
    }
    const area = areaOf(path)
    if (open?.area !== area || open.paths.length === maxFiles) {
      open = { area, paths: [] }
      processes.push(open.paths)
    }
    open.paths.push(path)
  }
  return processes
}

/** Files that start services and engines take longest: at the end of a run they would leave a processor idle. */
function rank(path: string): number {
  if (path.startsWith('test/')) return 0
  return path.startsWith('src/runtimes/') ? 1 : 2
}

/** The first two folders: `src/http`. */
function areaOf(path: string): string {
  return dirname(path).split('/').slice(0, 2).join('/')
}
