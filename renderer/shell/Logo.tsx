import { Image } from '@mantine/core';

export const Logo = () => <Image src="./icon.svg" w={28} h={28} alt="" />;
