import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { slugOf } from '../../src/http/docs/render-markdown.ts'

const pages = globSync(['*.md', 'docs/**/*.md', 'models/*/*.md', 'test/**/README.md', 'bench/**/*.md', 'src/**/*.md'], {
  exclude: ['**/node_modules/**'],
})

/** The anchors of a page's headings. */
function anchorsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, words = '']) =>
    slugOf(words.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')),
  )
}

test('a page shows each picture of the documentation', () => {
  const texts = pages.map((page) => readFileSync(page, 'utf8')).join('\n')
  const pictures = globSync('docs/**/*.{jpg,png,webp}')
  assert.deepEqual(
    pictures.filter((path) => !texts.includes(path.replace(/^docs\//, ''))),
    [],
  )
})

test('every link of every page leads to a file and a heading that are there', () => {
  assert.ok(pages.length > 60)
  const broken = pages.flatMap((page) => {
    const text = readFileSync(page, 'utf8')
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .replaceAll(/`[^`\n]*`/g, '')
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^(?:https?:|mailto:)/.test(target)) return []
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? page : join(dirname(page), file)
      const found = statSync(path, { throwIfNoEntry: false })
      if (found === undefined) return [`${page}: ${target}`]
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).includes(anchor) ? [`${page}: ${target}`] : []
    })
  })
  assert.deepEqual(broken, [])
})
