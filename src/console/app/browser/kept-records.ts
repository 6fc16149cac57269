import { mayKeep } from './browser-storage.ts'

/** Holds what is too large for the browser's texts: pictures, and whatever waits for a service that does not answer. */
const database = 'sepia'
const store = 'records'

let opened: Promise<IDBDatabase | null> | null = null

/** Keeps a record under its key, also when the page is left at once. A browser that forbids keeping has none. */
export async function keepRecord(key: string, value: unknown): Promise<void> {
  if (!mayKeep()) return
  await change((records) => records.put(value, key))
}

/** Forgets the record under a key, if there is one. */
export async function forgetRecord(key: string): Promise<void> {
  await change((records) => records.delete(key))
}

/** Forgets every record. */
export async function forgetAllRecords(): Promise<void> {
  await change((records) => records.clear())
}

/** The records whose keys begin so, by the rest of their keys. Only this console writes them, so that their shape is trusted. */
export async function readRecords<Value>(prefix: string): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>()
  const records = (await open())?.transaction(store).objectStore(store)
  if (records === undefined) return found
  const keys = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
  await new Promise<void>((resolve) => {
    const cursor = records.openCursor(keys)
    cursor.onerror = () => resolve()
    cursor.onsuccess = () => {
      const { result } = cursor
      if (result === null) return resolve()
      found.set(String(result.key).slice(prefix.length), result.value as Value)
      result.continue()
    }
  })
  return found
}

async function change(ask: (records: IDBObjectStore) => IDBRequest): Promise<void> {
  const transaction = (await open())?.transaction(store, 'readwrite')
  if (transaction === undefined) return
  await new Promise<void>((resolve) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => resolve()
    try {
      ask(transaction.objectStore(store))
      // Without it the page would have to stay until the browser has answered.
      transaction.commit()
    } catch {
      resolve()
    }
  })
}

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    try {
      const opening = indexedDB.open(database, 1)
      opening.onupgradeneeded = () => opening.result.createObjectStore(store)
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => resolve(null)
    } catch {
      resolve(null)
    }
  })
  return opened
}
