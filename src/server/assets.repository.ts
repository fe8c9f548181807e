import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'

/** A built file with its compressed copies. */
export interface Asset {
  /** The address. */
  path: string
  type: string
  content: Buffer
  brotli: Buffer | null
  gzip: Buffer | null
}

export interface AssetDigest {
  path: string
  /** SHA-256 of the content and its compressed copies, one after the other, in hexadecimal. */
  digest: string
}

export type AssetEncoding = 'brotli' | 'gzip'

/** One copy of a file. */
interface AssetCopy {
  type: string
  bytes: Buffer
  isEncoded: boolean
}

const NOTHING = Buffer.alloc(0)

export const digestOf = ({ path, content, brotli, gzip }: Asset): AssetDigest => ({
  path,
  digest: createHash('sha256')
    .update(Buffer.concat([content, brotli ?? NOTHING, gzip ?? NOTHING]))
    .digest('hex'),
})

/** Notes that files are in use now, by the database's clock. @returns the paths whose very content is stored */
export async function touchAssets(db: Database, used: readonly AssetDigest[]): Promise<Set<string>> {
  // In one order, because several processes start at once.
  const { rows } = await sql<{ path: string }>`
    WITH stored AS (
      SELECT path FROM assets
      JOIN unnest(${used.map(({ path }) => path)}::text[], ${used.map(({ digest }) => digest)}::text[])
        AS used (path, digest) USING (path)
      WHERE encode(sha256(content || coalesce(brotli, '') || coalesce(gzip, '')), 'hex') = used.digest
      ORDER BY path FOR UPDATE OF assets
    )
    UPDATE assets SET used_at = clock_timestamp() FROM stored WHERE assets.path = stored.path
    RETURNING assets.path`.execute(db)
  return new Set(rows.map(({ path }) => path))
}

/** Stores a file, in the place of another content that has the same path. */
export async function storeAsset(db: Database, asset: Asset): Promise<void> {
  await db
    .insertInto('assets')
    .values(asset)
    .onConflict((conflict) =>
      conflict.column('path').doUpdateSet({ ...asset, used_at: sql`clock_timestamp()` }),
    )
    .execute()
}

/** The copy in the encoding, or the file itself where there is none. */
export async function assetCopy(
  db: Database,
  path: string,
  encoding: AssetEncoding | undefined,
): Promise<AssetCopy | undefined> {
  const encoded = encoding === undefined ? sql`NULL::bytea` : sql.ref(encoding)
  const { rows } = await sql<AssetCopy>`
    SELECT type, coalesce(${encoded}, content) AS bytes, ${encoded} IS NOT NULL AS "isEncoded"
    FROM assets WHERE path = ${path}`.execute(db)
  return rows[0]
}

/** Deletes files that no process has had for some days. */
export async function deleteUnusedAssets(db: Database, days: number): Promise<void> {
  await sql`DELETE FROM assets WHERE used_at < clock_timestamp() - make_interval(days => ${days})`.execute(db)
}
