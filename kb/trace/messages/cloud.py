"""What the clouds' command lines and SDKs print about errors.

Sources: boto3 (Error handling), the S3 API reference (Error responses), aws-sdk-go-v2 and aws-sdk-java (error handling), Alibaba Cloud and
Tencent Cloud SDK references, cloud.google.com (gcloud, API errors), learn.microsoft.com (az, Microsoft Entra error codes).
"""

import re

from kb.trace.messages.form import Form

# Codes that AWS lists as common to its services, and those of S3 that users meet: the SDK for JavaScript prints "Code: message" and no other sign
_AWS = r"AccessDenied(?:Exception)?|ExpiredToken(?:Exception)?|ExpiredTokenException|IncompleteSignature|InternalFailure|InvalidAccessKeyId|InvalidBucketName|InvalidClientTokenId|InvalidObjectState|NoSuchBucket|NoSuchKey|NoSuchUpload|BucketAlreadyExists|BucketNotEmpty|OptInRequired|PermanentRedirect|RequestExpired|RequestTimeTooSkewed|ServiceUnavailable|SignatureDoesNotMatch|SlowDown|ThrottlingException|UnrecognizedClientException|ValidationException|ResourceNotFoundException|ProvisionedThroughputExceededException|CredentialsProviderError"
_CODE = r"[A-Z]\w{2,80}(?:\.\w{2,80}){0,3}"
_XML_BELOW = re.compile(r"<Message>(?P<message>[^<\n]++)</Message>")
# az and Azure's SDKs print "(Code) message"; a code is a compound that ends or begins like a fault, so that "(JavaScript) ..." is none
_AZURE = r"(?:[A-Z]\w{2,60}(?:Failed|NotFound|Exceeded|Forbidden|Denied|Conflict|Error|NotAllowed|NotSupported|Exists|InUse|Unauthorized|Required|NotRegistered|NotAvailable|Unavailable|Mismatch|Missing|Disabled|Locked)|(?:Invalid|Missing|Unsupported|Cannot)[A-Z]\w{2,60})"

FORMS: tuple[Form, ...] = (
    # --- AWS and what speaks S3
    Form("aws", re.compile(rf"[^\n]{{0,600}}?\bAn error occurred \((?P<type>{_CODE}|\d{{3}})\) when calling the \w{{2,80}} operation(?: \(reached max retries: \d{{1,3}}\))?: (?P<message>[^\n]++)")),
    Form("aws", re.compile(rf"[^\n]{{0,600}}?\bapi error (?P<type>{_CODE}): (?P<message>[^\n]++)")),
    Form("aws", re.compile(rf"(?P<message>[^(\n]{{1,1000}}+) ?\(Service: [\w .-]{{1,60}}; Status Code: \d{{3}}; Error Code: (?P<type>{_CODE}); Request ID: ")),
    Form("s3", re.compile(rf"(?:<\?xml[^>\n]{{0,200}}\?>[ \t]*+)?(?:<(?:Response|Errors|Error|ErrorResponse)(?: [^>\n]{{0,200}})?>){{0,3}}+<Code>(?P<type>{_CODE})</Code><Message>(?P<message>[^<\n]++)</Message>")),
    Form("s3", re.compile(rf"<Code>(?P<type>{_CODE})</Code>[ \t]*$"), below=_XML_BELOW),
    Form("aws", re.compile(rf"(?:Error: )?(?P<type>{_AWS}): (?P<message>[^\n]++)")),
    Form("aws", re.compile(r"(?P<message>(?:Could not connect to the endpoint URL: |Unable to locate credentials|You must specify a region|The config profile \()[^\n]*+)")),
    # --- Alibaba Cloud, Tencent Cloud
    Form("aliyun", re.compile(rf"HTTP Status: \d{{3}},? Error:(?P<type>{_CODE}) (?P<message>[^\n]{{1,2000}}?) RequestI[Dd]: ")),
    Form("aliyun", re.compile(rf"\[?ErrorCode\]?: ?(?P<type>{_CODE})[ \t]*$"), below=re.compile(r"\[?(?:Error)?Message\]?: ?(?P<message>[^\n]++)")),
    Form("aliyun", re.compile(rf"ErrorCode ?: ?(?P<type>{_CODE})[ ,]{{1,3}}ErrorMessage ?: ?(?P<message>[^\n]++)")),
    Form("aliyun", re.compile(rf"(?:Error: )?(?P<type>{_CODE}): code: [45]\d\d, (?P<message>[^\n]{{1,2000}}?) request id: ")),
    Form("tencent", re.compile(rf"\[TencentCloudSDK(?:Exception|Error)\] ?[Cc]ode[:=] ?(?P<type>{_CODE}),? [Mm]essage[:=] ?(?P<message>[^\n]{{1,2000}}?),? [Rr]equest_?[Ii]d[:=]")),
    # --- Google Cloud
    Form("gcloud", re.compile(r"ERROR: \((?:gcloud|bq|gsutil)[\w.-]{0,120}\) (?:(?P<type>[A-Z]{3,20}(?:_[A-Z]{3,20}){0,3}): )?(?P<message>[^\n]{0,4000}+(?<!:))$")),
    Form("gcloud", re.compile(r"ERROR: \((?:gcloud|bq|gsutil)[\w.-]{0,120}\) [^\n]{1,4000}+(?<=:)$"), below=re.compile(r"- (?P<message>[^\n]++)")),
    Form("gcloud", re.compile(r"(?:CommandException: )?(?P<type>(?:AccessDenied|NotFound|BadRequest|Unauthorized|Precondition|ServiceUnavailable)\w{0,12}Exception): (?P<message>[45]\d\d [^\n]++)")),
    Form("googleapi", re.compile(r"(?:Error: )?googleapi: Error [45]\d\d: (?P<message>[^\n]{1,4000}), (?P<type>[a-z][A-Za-z]{2,60})$")),
    Form("googleapi", re.compile(r"(?:Error: )?googleapi: Error (?P<type>[45]\d\d): (?P<message>[^\n]++)"), type="HTTP {}"),
    # --- Azure
    Form("azure", re.compile(rf"(?:ERROR: )?\((?P<type>{_AZURE})\) (?P<message>[A-Z'\"][^\n]++)")),
    Form("azure", re.compile(rf"Code: (?P<type>{_AZURE})[ \t]*$"), below=re.compile(r"Message: (?P<message>[^\n]++)")),
    Form("azure", re.compile(r"(?:[^\n]{0,200}?\b)?(?P<type>AADSTS\d{5,7}): (?P<message>[^\n]++)")),
)  # fmt: skip
