/** What one version changed, as CHANGELOG.md has it. */
export interface Release {
  /** null = not released yet. */
  readonly version: string | null
  /** Such as `2026-11-22`; null = not released yet. */
  readonly date: string | null
  /** What stands below the heading. */
  readonly text: string
}

const heading = /^## \[(?:Unreleased|(\d+\.\d+\.\d+))\](?: - (\d{4}-\d{2}-\d{2}))?$/gm

/**
 * The sections of a changelog, newest first.
 *
 * @see https://keepachangelog.com/en/1.1.0/
 * @throws {Error} at a heading of another form.
 */
export function readReleases(changelog: string): readonly Release[] {
  const odd = changelog.match(/^## .*$/gm)?.find((line) => line.search(heading) === -1)
  if (odd !== undefined) throw new Error(`CHANGELOG.md: write "${odd}" as "## [Unreleased]" or "## [1.2.3] - 2026-01-31".`)
  const found = [...changelog.matchAll(heading)]
  return found.map(({ 0: line, 1: version = null, 2: date = null, index }, place) => ({
    version,
    date,
    text: changelog.slice(index + line.length, found[place + 1]?.index).trim(),
  }))
}

/**
 * The changelog in which all that is unreleased belongs to a version.
 *
 * @throws {Error} when nothing is unreleased.
 */
export function releaseChanges(changelog: string, { version, date }: { readonly version: string; readonly date: string }): string {
  const [first] = readReleases(changelog)
  if (first === undefined || first.version !== null || first.text === '')
    throw new Error('CHANGELOG.md has nothing under "## [Unreleased]", so that there is nothing to release.')
  return changelog.replace('## [Unreleased]', `## [${version}] - ${date}`)
}

/** Whether one version comes after another. */
export function isLater(version: string, other: string): boolean {
  const [a, b] = [version, other].map((each) => each.split('.').map(Number))
  const differing = a?.findIndex((part, index) => part !== b?.[index]) ?? -1
  return differing >= 0 && (a?.[differing] ?? 0) > (b?.[differing] ?? 0)
}
