import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkExports } from './check-exports.ts'
import { findExports } from './find-exports.ts'

function only(source: string) {
  const [found, ...others] = findExports(source)
  assert.deepEqual(others, [])
  return found
}

test('a doc comment counts, with or without a comment for a tool between', () => {
  assert.equal(only('/** What it does. */\nexport class A {}\n')?.documented, true)
  assert.equal(only('/**\n * What it does.\n */\n// biome-ignore lint: because\nexport class A {}\n')?.documented, true)
  assert.equal(only('// Why.\nexport class A {}\n')?.documented, false)
  assert.equal(only('export class A {}\n')?.documented, false)
})

test("finds a function's return type after its parameters, whatever they contain", () => {
  assert.equal(only('export function a(b: (c: number) => string): void {}\n')?.typed, true)
  assert.equal(only('export function a(b: (c: number) => string) {}\n')?.typed, false)
  assert.equal(only('export async function* a<B extends (c: number) => D<E>>(\n  b: B,\n): AsyncGenerator<D> {}\n')?.typed, true)
  assert.equal(only('export function a<B extends (c: number) => D<E>>(b: B) {}\n')?.typed, false)
})

test('an arrow function states what it returns or has a type', () => {
  assert.equal(only('export const a = (b: number) => b\n')?.typed, false)
  assert.equal(only('export const a = (b: number): number => b\n')?.typed, true)
  assert.equal(only('export const a: F = (b) => b\n')?.typed, true)
  assert.equal(only('export const a = (1 + 2) * 3\n')?.typed, true)
})

test('every kind of declaration is found by its name', () => {
  const source = `export interface A {}
export type B = string
export abstract class C {}
export const d = 1
export async function e(): Promise<void> {}
function hidden() {}
`
  assert.deepEqual(
    findExports(source).map(({ name, kind }) => [name, kind]),
    [
      ['A', 'type'],
      ['B', 'type'],
      ['C', 'class'],
      ['d', 'value'],
      ['e', 'function'],
    ],
  )
})

test('one comment documents every signature of a function', () => {
  const source = `/** What it does. */
export function a(b: string): string
export function a(b: number): number
export function a(b: unknown): unknown {}
`
  assert.deepEqual(
    findExports(source).map(({ documented }) => documented),
    [true, true, true],
  )
})

test('a constant with an explicit type needs no comment, a function does', () => {
  const fault = (text: string) => checkExports({ path: 'src/a.ts', text: `${text}\n` }).length
  assert.equal(fault('export const a: Command = {}'), 0)
  assert.equal(fault('export interface A {}'), 0)
  assert.equal(fault('export const a = {}'), 1)
  assert.equal(fault('export function a(): void {}'), 1)
  assert.equal(fault('/** Why. */\nexport function a(b: string) {}'), 1)
  assert.equal(fault('export function a(b: string) {}'), 2)
})
