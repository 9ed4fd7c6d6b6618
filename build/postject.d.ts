declare module 'postject' {
  /** Injects a resource into an executable. */
  export function inject(
    file: string,
    resource: string,
    data: Buffer,
    options: { sentinelFuse?: string; machoSegmentName?: string; overwrite?: boolean },
  ): Promise<void>;
}
