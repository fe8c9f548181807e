/** What a witness's browser keeps: a key that never leaves it, and what it signed last of each log. */
import type { KeptCheckpoint } from '#draw-protocol/witness.ts'

/** The private half cannot be read, by nobody: it only signs. */
export interface OwnKey {
  name: string
  privateKey: CryptoKey
  publicKey: Uint8Array
}

const DATABASE = 'volant-witness'
const STORE = 'kept'
const KEY = 'key'

const opened = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('no storage')))
  })

async function run<Payload>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Payload>,
): Promise<Payload> {
  const database = await opened()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode)
      const request = act(transaction.objectStore(STORE))
      transaction.addEventListener('complete', () => resolve(request.result))
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('not stored')))
    })
  } finally {
    database.close()
  }
}

export const ownKey = (): Promise<OwnKey | undefined> =>
  run<OwnKey | undefined>('readonly', (store) => store.get(KEY) as IDBRequest<OwnKey | undefined>)
export const keepKey = (key: OwnKey): Promise<unknown> => run('readwrite', (store) => store.put(key, KEY))

const placeOf = (origin: string): string => `log:${origin}`
export const keptOfLog = (origin: string): Promise<KeptCheckpoint | undefined> =>
  run<KeptCheckpoint | undefined>(
    'readonly',
    (store) => store.get(placeOf(origin)) as IDBRequest<KeptCheckpoint | undefined>,
  )
export const keepOfLog = (origin: string, kept: KeptCheckpoint): Promise<unknown> =>
  run('readwrite', (store) => store.put(kept, placeOf(origin)))

/** A new key of this browser; `undefined` where it makes no Ed25519 keys. */
export async function newKey(): Promise<Omit<OwnKey, 'name'> | undefined> {
  try {
    const pair = (await crypto.subtle.generateKey({ name: 'Ed25519' }, false, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
    return { privateKey: pair.privateKey, publicKey }
  } catch {
    return undefined
  }
}

export const signWith = async (
  { privateKey }: Pick<OwnKey, 'privateKey'>,
  text: Uint8Array,
): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.sign({ name: 'Ed25519' }, privateKey, Uint8Array.from(text)))
