/**
 * Waits for the first item, so that failures before it can still be answered with their own status.
 *
 * @returns The same items, the first included; leaving them early ends the source.
 */
export async function afterFirst<Item>(source: AsyncGenerator<Item, void, undefined>): Promise<AsyncGenerator<Item, void, undefined>> {
  const first = source.next()
  await first
  return fromFirst(first, source)
}

/** The items of a source whose first `next()` was already called. Leaving them early ends the source. */
export function fromFirst<Item>(
  first: Promise<IteratorResult<Item, void>>,
  source: AsyncGenerator<Item, void, undefined>,
): AsyncGenerator<Item, void, undefined> {
  let isTaken = false
  // An object instead of a generator: a generator would double the cost of every item.
  const items: AsyncGenerator<Item, void, undefined> = {
    next: () => {
      if (isTaken) return source.next()
      isTaken = true
      return first
    },
    return: () => source.return(),
    throw: (error) => source.throw(error),
    [Symbol.asyncIterator]: () => items,
    [Symbol.asyncDispose]: async () => {
      await source.return()
    },
  }
  return items
}
