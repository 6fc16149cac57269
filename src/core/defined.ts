/** A record whose members that can be undefined are absent instead. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The members of a record that have a value: `{ id: 1 }` of `{ id: 1, name: undefined }`. */
export function defined<const T extends object>(record: T): Defined<T> {
  const kept: Partial<T> = {}
  for (const name in record) {
    if (record[name] !== undefined) kept[name] = record[name]
  }
  return kept as unknown as Defined<T>
}
