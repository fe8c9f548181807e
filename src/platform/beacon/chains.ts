/** A beacon, described by what never changes about it. Genesis and period are in seconds. */
export interface BeaconChain {
  /** Its name in addresses of relays. */
  hash: string
  publicKey: string
  /** Unix time of round 1. */
  genesis: number
  period: number
  scheme: 'bls-unchained-g1-rfc9380'
}

/** Public networks by their names. A live shop accepts no other chain. */
export const PUBLIC_CHAINS: Readonly<Record<string, BeaconChain>> = {
  /** Of the League of Entropy. */
  quicknet: {
    hash: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
    publicKey:
      '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451' +
      '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
    genesis: 1_692_803_367,
    period: 3,
    scheme: 'bls-unchained-g1-rfc9380',
  },
}

/** @returns the public network of that name or hash */
export const publicChain = (nameOrHash: string): BeaconChain | undefined =>
  Object.entries(PUBLIC_CHAINS).find(([name, { hash }]) => nameOrHash === name || nameOrHash === hash)?.[1]
