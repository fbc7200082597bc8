# bash tests/repro/terraform-state-lock.sh   (Terraform 1.11): two applies on one state, a provider that no registry has
set +e; cd "$(mktemp -d)"; export TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1 TF_CLI_ARGS=-no-color
cat > main.tf <<'H'
resource "terraform_data" "slow" {
  provisioner "local-exec" { command = "sleep 6" }
}
H
terraform init >/dev/null; terraform apply -auto-approve >/dev/null & sleep 3; terraform apply -auto-approve -lock-timeout=0s; wait
