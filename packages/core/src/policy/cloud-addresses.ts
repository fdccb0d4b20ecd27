import type { AddressBlock } from "./ip-address.ts";

/**
 * The IPv4 addresses at which cloud platforms offer services to their own machines: metadata, credentials and host
 * agents. No IANA registry lists the addresses of cloud platforms, and some of them are public. Compiled in November
 * 2026 from the manuals of the platforms:
 * <https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html>,
 * <https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html>,
 * <https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html>,
 * <https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16>,
 * <https://cloud.google.com/compute/docs/metadata/querying-metadata>,
 * <https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata>,
 * <https://docs.oracle.com/en-us/iaas/Content/Compute/Tasks/gettingmetadata.htm> (192.0.0.192 is the address of Oracle
 * Cloud Classic), <https://docs.digitalocean.com/reference/api/metadata/>,
 * <https://docs.openstack.org/nova/latest/user/metadata.html>,
 * <https://docs.hetzner.cloud/reference/cloud#server-metadata>, <https://cloud.ibm.com/docs/vpc?topic=vpc-imd-about>,
 * <https://www.tencentcloud.com/document/product/213/4934>,
 * <https://techdocs.akamai.com/cloud-computing/docs/metadata-service-api>,
 * <https://www.scaleway.com/en/docs/instances/how-to/use-cloud-init/>.
 */
export const CLOUD_PLATFORM_IPV4_ADDRESSES: readonly AddressBlock[] = [
  [
    "169.254.169.254",
    32,
    "the metadata service of AWS, Azure, Google Cloud, Oracle Cloud, DigitalOcean, OpenStack, Hetzner, IBM Cloud and others",
  ],
  ["169.254.170.2", 32, "the credentials service of AWS (ECS)"],
  ["169.254.170.23", 32, "the credentials service of AWS (EKS)"],
  ["169.254.169.255", 32, "the metadata service of Akamai (Linode)"],
  ["169.254.0.23", 32, "the metadata service of Tencent Cloud"],
  ["169.254.42.42", 32, "the metadata service of Scaleway"],
  ["168.63.129.16", 32, "the platform service of Azure"],
  ["100.100.100.200", 32, "the metadata service of Alibaba Cloud"],
  ["192.0.0.192", 32, "the metadata service of Oracle Cloud (Classic)"],
];

/** The IPv6 addresses at which cloud platforms offer services to their own machines. */
export const CLOUD_PLATFORM_IPV6_ADDRESSES: readonly AddressBlock[] = [
  ["fd00:ec2:0:0:0:0:0:0", 32, "the metadata service of AWS"],
  ["fd20:ce:0:0:0:0:0:254", 128, "the metadata service of Google Cloud"],
  ["fe80:0:0:0:0:0:a9fe:a9fe", 128, "the metadata service of OpenStack"],
  ["fd00:c1:0:0:0:0:a9fe:a9fe", 128, "the metadata service of Oracle Cloud"],
  ["fd00:42:0:0:0:0:0:42", 128, "the metadata service of Scaleway"],
  ["fd00:a9fe:a9fe:0:0:0:0:1", 128, "the metadata service of Akamai (Linode)"],
];
