/**
 * Waits for the first item, so that failures before it can still be answered with their own status.
 *
 * @returns The same items, the first included; leaving them early ends the source.
 */
export async function afterFirst<Item>(source: AsyncGenerator<Item, void, undefined>): Promise<AsyncGenerator<Item, void, undefined>> {
  const first = await source.next()
  return (async function* () {
    try {
      if (first.done !== true) yield first.value
      yield* source
    } finally {
      await source.return()
    }
  })()
}
